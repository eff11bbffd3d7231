"use strict";
// Draws the figures of the page from the JSON beside it.
(function () {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  // A finger that drags is scrolling the page, not choosing what to enlarge.
  const isTouch = matchMedia("(pointer: coarse)").matches;
  const config = {
    responsive: true,
    displayModeBar: isTouch ? false : "hover",
    displaylogo: false,
    // By name, so that no button of a later plotly comes in that sends data away.
    modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]],
    plotlyServerURL: "",
  };
  const charts = [];
  for (const [name, figure] of Object.entries(figures)) {
    const place = document.getElementById("figure-" + name);
    figure.layout.dragmode = isTouch ? false : "zoom";
    Plotly.newPlot(place, figure.data, figure.layout, config);
    charts.push(place);
  }
  // Paper is narrower than most screens, and nothing on it can be opened.
  const PAPER = 660;
  const closed = [];
  addEventListener("beforeprint", () => {
    charts.forEach((place) => Plotly.relayout(place, { width: PAPER }));
    document.querySelectorAll("details:not([open])").forEach((part) => {
      part.open = true;
      closed.push(part);
    });
  });
  addEventListener("afterprint", () => {
    charts.forEach((place) => Plotly.relayout(place, { width: null, autosize: true }));
    closed.splice(0).forEach((part) => (part.open = false));
  });
})();
