// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The picture of a failure: a lane for each host thread, the host calls and each stream, the
// observed events from left to right in equal steps, and the broken edge.

#pragma once

#include <pugixml.hpp>
#include <string_view>

#include "reports/results/record.h"

namespace streamcts::reports {

/// Appends the picture as SVG; nothing where @p failure has no events. Of many events the ones
/// around the broken edge are drawn. @p id_prefix keeps ids apart within a page.
/// @return true where all events are in it.
bool add_picture(pugi::xml_node parent, const results::failure& failure,
                 std::string_view id_prefix);

/// Appends the same as tables: the promised edges, and the events in their order.
void add_picture_tables(pugi::xml_node parent, const results::failure& failure);

}  // namespace streamcts::reports
