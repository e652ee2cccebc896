(() => {
  const table = document.getElementById("cases");
  if (!table) return;
  const form = document.getElementById("filters"), search = document.getElementById("search");
  const shown = document.getElementById("shown"), body = table.tBodies[0];
  const selects = [...form.querySelectorAll("select")];
  const rows = [...body.rows].map(row => ({ row, key: row.dataset.k.split(","), text: row.textContent.toLowerCase() }));
  const total = `${rows.length.toLocaleString("en")} case${rows.length === 1 ? "" : "s"}`;

  const filter = () => {
    const wanted = selects.map(select => select.value), words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { row, key, text } of rows) {
      const fits = wanted.every((value, place) => value === "" || key[place] === value) && words.every(word => text.includes(word));
      row.hidden = !fits;
      count += fits;
    }
    shown.textContent = count === rows.length ? total : `${count.toLocaleString("en")} of ${total}`;
  };

  const value = (row, column, number) => {
    const text = row.cells[column].textContent;
    return number ? parseFloat(text) || 0 : text;
  };
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    const number = "number" in cell.dataset, button = document.createElement("button");
    button.type = "button";
    button.textContent = cell.textContent;
    cell.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = cell.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sign = down ? -1 : 1;
      rows.sort((a, b) => {
        const x = value(a.row, column, number), y = value(b.row, column, number);
        return sign * (number ? x - y : x.localeCompare(y, "en", { numeric: true }));
      });
      body.append(...rows.map(each => each.row));
    });
  });

  form.hidden = false;
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("input", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  filter();
})();
