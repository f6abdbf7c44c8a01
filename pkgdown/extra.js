// What the pages of the site do by themselves, without a network: the theme, the contents of a
// page, a button that copies code, and the search in search.js, which tools/site.R writes.

(function () {
  "use strict";

  // ---- theme: the reader's choice, else that of the system ----
  var root = document.documentElement;
  function kept() {
    try { return localStorage.getItem("kgroups-theme"); } catch (e) { return null; }
  }
  var asked = /[?&]theme=(dark|light)/.exec(window.location.search);
  var system = window.matchMedia && window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.theme = (asked && asked[1]) || kept() || system;

  function element(name, attributes, text) {
    var out = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { out.setAttribute(key, attributes[key]); });
    if (text) out.textContent = text;
    return out;
  }

  function themeButton() {
    var bar = document.querySelector("#navbar");
    if (!bar) return;
    var button = element("button", { type: "button", id: "theme-button" });
    function label() {
      var dark = root.dataset.theme === "dark";
      button.textContent = dark ? "☀ light" : "☾ dark";
      button.setAttribute("aria-label", dark ? "Light theme" : "Dark theme");
    }
    button.addEventListener("click", function () {
      root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
      try { localStorage.setItem("kgroups-theme", root.dataset.theme); } catch (e) { /* not kept */ }
      label();
    });
    label();
    bar.appendChild(button);
  }

  // ---- contents ----
  function contents() {
    var nav = document.querySelector("#toc");
    if (!nav) return;
    var heads = Array.prototype.filter.call(
      document.querySelectorAll("main h2, main h3"),
      function (head) { return !head.hasAttribute("data-toc-skip"); }
    );
    var list = element("ul");
    var inner = null;
    var links = [];
    heads.forEach(function (head) {
      var holder = head.id ? head : head.closest("[id]");
      if (!holder || holder.id === "main") return;
      var copy = head.cloneNode(true);
      Array.prototype.forEach.call(copy.querySelectorAll("a.anchor"), function (a) { a.remove(); });
      var link = element("a", { href: "#" + holder.id }, copy.textContent.trim());
      var item = element("li");
      item.appendChild(link);
      if (head.tagName === "H3" && list.lastElementChild) {
        if (!inner) {
          inner = element("ul");
          list.lastElementChild.appendChild(inner);
        }
        inner.appendChild(item);
      } else {
        inner = null;
        list.appendChild(item);
      }
      links.push({ head: head, link: link });
    });
    if (links.length < 2) {
      nav.remove();
      return;
    }
    nav.appendChild(list);
    // on a phone, where there is no column beside the text, the contents open above it
    var fold = element("details", { class: "page-contents" });
    fold.appendChild(element("summary", {}, "On this page"));
    fold.appendChild(list.cloneNode(true));
    var top = document.querySelector("main .page-header");
    if (top) top.after(fold);
    function where() {
      var at = 0;
      links.forEach(function (one, i) { if (one.head.getBoundingClientRect().top < 120) at = i; });
      links.forEach(function (one, i) { one.link.classList.toggle("here", i === at); });
    }
    window.addEventListener("scroll", where, { passive: true });
    where();
  }

  // ---- code to take away, without what it printed ----
  function copyButtons() {
    if (!navigator.clipboard) return;
    Array.prototype.forEach.call(document.querySelectorAll("div.sourceCode"), function (box) {
      var button = element("button", { type: "button", class: "copy-button", "aria-label": "Copy the code" }, "copy");
      button.addEventListener("click", function () {
        var text = box.querySelector("pre").textContent.replace(/^#>.*\n?/gm, "");
        navigator.clipboard.writeText(text).then(function () {
          button.textContent = "copied";
          setTimeout(function () { button.textContent = "copy"; }, 1500);
        });
      });
      box.appendChild(button);
    });
  }

  // ---- search: sections that hold every word, the best first, at most two of a page. The title of a page counts as
  // the heading of its first section only ----
  function find(words) {
    var out = [];
    window.kgroupsSections.forEach(function (section) {
      var head = (section.head || section.page).toLowerCase();
      var text = (section.page + " " + section.text).toLowerCase();
      var score = 0;
      for (var i = 0; i < words.length; i++) {
        var inHead = head.indexOf(words[i]) >= 0;
        if (!inHead && text.indexOf(words[i]) < 0) return;
        score += inHead ? 10 : 1;
        if (head.split(/[^\w.]+/).indexOf(words[i]) >= 0) score += 5;
      }
      out.push({ section: section, score: score });
    });
    out.sort(function (a, b) { return b.score - a.score; });
    var of = {};
    return out.filter(function (hit) {
      of[hit.section.path] = (of[hit.section.path] || 0) + 1;
      return of[hit.section.path] <= 2;
    }).slice(0, 12);
  }

  function search() {
    var input = document.querySelector("#search-input");
    if (!input) return;
    var base = (input.dataset.searchIndex || "search.json").replace(/search\.json$/, "");
    var found = element("div", { id: "search-found", role: "listbox", hidden: "" });
    input.parentNode.appendChild(found);
    input.setAttribute("aria-label", "Search the pages");
    function load(then) {
      if (window.kgroupsSections) return then();
      var script = element("script", { src: base + "search.js" });
      script.onload = then;
      document.head.appendChild(script);
    }
    function show() {
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      found.textContent = "";
      found.hidden = input.value.trim().length < 2;
      if (found.hidden) return;
      var hits = find(words);
      if (!hits.length) found.appendChild(element("p", {}, "Nothing found."));
      hits.forEach(function (hit) {
        var s = hit.section;
        var link = element("a", { href: base + s.path + "?q=" + encodeURIComponent(words.join(" ")) + s.anchor, role: "option" }, s.head || s.page);
        var at = s.text.toLowerCase().indexOf(words[0]);
        var from = at < 40 ? 0 : s.text.indexOf(" ", at - 40) + 1;
        var excerpt = s.text.slice(from, from + 100);
        link.appendChild(element("small", {}, (s.head ? s.page + ": " : "") + excerpt));
        found.appendChild(link);
      });
    }
    input.addEventListener("focus", function () { load(function () {}); });
    input.addEventListener("input", function () { load(show); });
    input.addEventListener("keydown", function (event) {
      var links = Array.prototype.slice.call(found.querySelectorAll("a"));
      var at = links.findIndex(function (a) { return a.classList.contains("at"); });
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        if (at >= 0) links[at].classList.remove("at");
        at = (at + (event.key === "ArrowDown" ? 1 : -1) + links.length) % (links.length || 1);
        if (links[at]) links[at].classList.add("at");
      } else if (event.key === "Enter") {
        event.preventDefault();
        if (links.length) window.location.href = links[Math.max(at, 0)].href;
      } else if (event.key === "Escape") {
        found.hidden = true;
      }
    });
    document.addEventListener("click", function (event) {
      if (!found.contains(event.target) && event.target !== input) found.hidden = true;
    });
    input.form.addEventListener("submit", function (event) { event.preventDefault(); });
  }

  // What was searched for is marked in the page it led to.
  function mark() {
    var asked = new URLSearchParams(window.location.search).get("q");
    var main = document.querySelector("main");
    if (!asked || !main) return;
    var words = asked.toLowerCase().split(/\s+/).filter(function (word) { return word.length > 1; });
    var walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    var nodes = [];
    while (walker.nextNode()) if (!walker.currentNode.parentNode.closest("math, script, style")) nodes.push(walker.currentNode);
    nodes.forEach(function (node) {
      words.forEach(function (word) {
        var at = node.data.toLowerCase().indexOf(word);
        if (at < 0) return;
        var rest = node.splitText(at);
        rest.splitText(word.length);
        var box = element("mark", {}, rest.data);
        rest.replaceWith(box);
      });
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    themeButton();
    contents();
    copyButtons();
    search();
    mark();
  });
})();
