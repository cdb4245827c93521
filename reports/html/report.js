"use strict";
// The page is complete without this: it adds a filter over all cases, and opens what a link leads to.
(function () {
  function opened() {
    var id = decodeURIComponent(location.hash.slice(1));
    var target = id ? document.getElementById(id) : null;
    if (!target) { return; }
    for (var up = target.parentElement; up; up = up.parentElement) {
      if (up.tagName === "DETAILS") { up.open = true; }
    }
    target.scrollIntoView();
  }
  addEventListener("hashchange", opened);
  opened();

  var part = document.getElementById("cases");
  var families = Array.from(part.querySelectorAll("details.family"));
  if (families.length === 0) { return; }
  var bar = document.createElement("div");
  bar.className = "filter";
  bar.setAttribute("role", "search");
  var text = document.createElement("input");
  text.type = "search";
  text.placeholder = "Filter by id or reason";
  text.setAttribute("aria-label", "Filter cases by id or reason");
  var choice = document.createElement("select");
  choice.setAttribute("aria-label", "Filter cases by verdict");
  var shown = document.createElement("output");
  var rows = [];
  var names = new Set();
  families.forEach(function (family) {
    family.querySelectorAll("tbody tr").forEach(function (row) {
      var verdict = row.cells[1].textContent.trim();
      names.add(verdict);
      rows.push({ row: row, family: family, verdict: verdict, text: row.textContent.toLowerCase() });
    });
  });
  ["Any verdict"].concat(Array.from(names).sort()).forEach(function (name, index) {
    var option = document.createElement("option");
    option.value = index === 0 ? "" : name;
    option.textContent = name;
    choice.append(option);
  });
  function apply() {
    var wanted = text.value.trim().toLowerCase();
    var filtering = wanted !== "" || choice.value !== "";
    var matching = new Set();
    var count = 0;
    rows.forEach(function (each) {
      var match = each.text.includes(wanted) ? choice.value === "" || choice.value === each.verdict : false;
      each.row.hidden = !match;
      if (match) { count += 1; matching.add(each.family); }
    });
    families.forEach(function (family) {
      family.hidden = !matching.has(family);
      family.open = filtering ? matching.has(family) : false;
    });
    shown.textContent = filtering ? count + " of " + rows.length + " cases" : "";
  }
  text.addEventListener("input", apply);
  choice.addEventListener("change", apply);
  bar.append(text, choice, shown);
  part.insertBefore(bar, families[0]);
}());
