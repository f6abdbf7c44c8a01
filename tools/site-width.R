# Opens every page of a site 390 px wide in headless Chromium and states which are wider than that
# and which figures do not load. Left out where there is no Chromium; a message reports it.
#   Rscript tools/site-width.R DIRECTORY [WIDTH]

arguments <- commandArgs(TRUE)
root <- normalizePath(arguments[1])
width <- if (length(arguments) > 1) as.integer(arguments[2]) else 390L
browser <- Filter(nzchar, Sys.which(c("chromium", "chromium-browser", "google-chrome", "chrome")))
if (!length(browser)) {
  cat("site: page width left out, there is no Chromium here\n")
  q()
}
pages <- list.files(root, "[.]html$", recursive = TRUE)

# A page that loads the others in a frame of that width, one after the other, and writes down
# what it saw. Files are one origin to each other by the flag below.
probe <- file.path(root, "width-probe.html")
script <- '<!DOCTYPE html><meta charset="utf-8"><pre id="out"></pre><iframe id="f" style="width:%dpx;height:2000px;border:0"></iframe><script>
var pages = %s, at = -1, f = document.getElementById("f"), out = [];
function next() {
  at++;
  if (at >= pages.length) { document.getElementById("out").textContent = out.join("\\n") + "\\nend"; return; }
  f.src = pages[at];
}
f.onload = function () {
  if (at < 0) return;
  var d = f.contentDocument, room = d.documentElement.clientWidth, w, widest = "";
  Array.prototype.forEach.call(d.querySelectorAll("details"), function (e) { e.open = true; });
  w = d.documentElement.scrollWidth;
  if (w > room) Array.prototype.forEach.call(d.querySelectorAll("body *"), function (e) {
    if (e.closest(".table-box, pre")) return;
    var r = e.getBoundingClientRect();
    if (r.right > room + 1) widest = e.tagName + "." + e.className + " to " + Math.round(r.right);
  });
  if (w > room) out.push(pages[at] + ": " + w + " px in " + room + ", " + widest);
  Array.prototype.forEach.call(d.querySelectorAll("img"), function (e) {
    if (e.complete && !e.naturalWidth) out.push(pages[at] + ": picture not shown: " + e.getAttribute("src"));
  });
  next();
};
next();
</script>'
json <- paste0("[", paste(sprintf("\"%s\"", pages), collapse = ","), "]")
writeLines(sprintf(script, width, json), probe)
home <- tempfile()
dom <- suppressWarnings(system2(browser[1], c(
  "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", paste0("--user-data-dir=", home),
  "--window-size=1280,2400", "--virtual-time-budget=120000", "--dump-dom", shQuote(paste0("file://", probe))
), stdout = TRUE, stderr = FALSE))
unlink(c(probe, home), recursive = TRUE)
dom <- paste(dom, collapse = "\n")
reported <- sub("(?s).*<pre id=\"out\">(.*?)</pre>.*", "\\1", dom, perl = TRUE)
lines <- Filter(nzchar, strsplit(reported, "\n", fixed = TRUE)[[1]])
if (!"end" %in% lines) {
  cat("site: page width left out, Chromium did not answer\n")
  q()
}
problems <- setdiff(lines, "end")
if (length(problems)) cat(sprintf("  %s\n", problems), sep = "")
cat(sprintf("site: %d pages at %d px, %d problems\n", length(pages), width, length(problems)))
q(status = length(problems) > 0)
