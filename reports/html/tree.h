// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// HTML and SVG as trees of pugixml, so that escaping can't be forgotten. Texts and attribute values
// are made printable on their way in. There is no way to add raw markup; style and script hold
// none of < > & and need no exception (assets are checked for that by a test).

#pragma once

#include <initializer_list>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace streamcts::reports {

using attribute = std::pair<const char*, std::string_view>;

/// Appends the element @p name with @p text as its first child. The element has an end tag however
/// empty it stays, as HTML wants it.
pugi::xml_node add(pugi::xml_node parent, const char* name, std::string_view text = {},
                   std::initializer_list<attribute> attributes = {});

/// The same with attributes and no text.
pugi::xml_node add(pugi::xml_node parent, const char* name,
                   std::initializer_list<attribute> attributes);

/// Appends an element that has no end tag in HTML (meta, col), or no content in SVG (line, rect).
pugi::xml_node add_void(pugi::xml_node parent, const char* name,
                        std::initializer_list<attribute> attributes);

void add_text(pugi::xml_node parent, std::string_view text);
void set(pugi::xml_node node, const char* name, std::string_view value);

/// The document as text.
std::string serialised(const pugi::xml_document& document);

/// A coordinate or length of SVG: at most one decimal, the same on every machine.
std::string number(double value);

}  // namespace streamcts::reports
