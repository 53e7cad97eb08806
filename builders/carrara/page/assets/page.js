// Shows rows. All text of the release reaches the page as text nodes: nothing of it is read as HTML.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const MOST_LISTED = 500;
  const byId = (id) => document.getElementById(id);
  const { configs, rows, sealed } = JSON.parse(byId("data").textContent);
  const search = byId("search");
  const select = byId("config");
  const rowOf = new Map(rows.map((row, place) => [row.id, place]));
  let current = -1;

  const number = (value) => value.toLocaleString("en-US");
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;
  const hashOf = (row) => `#row=${encodeURIComponent(row.id).replace(/%2F/g, "/")}`;

  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== null) node.setAttribute(name, value);
    }
    node.append(...children.flat(Infinity).filter((child) => child !== null));
    return node;
  }

  // An id may be parted after its slashes, and is copied whole.
  const parted = (id) => id.split(/(?<=\/)/).flatMap((part, place) => (place ? [make("wbr"), part] : [part]));

  // --- one row ---------------------------------------------------------------------------------------------------

  function cut(parts) {
    if (parts.length === 1) return [parts[0]];
    return [parts[0], make("span", { class: "cut" }, ` … ${plural(parts[1], "character")} left out … `), parts[2]];
  }

  function facts(pairs) {
    return make("dl", { class: "facts" }, pairs.map(([name, ...value]) => [make("dt", {}, name), make("dd", {}, value)]));
  }

  function items(title, listed, lang, ordered) {
    if (!listed.count && title === "Answer") {
      return [make("h4", {}, title), make("p", { class: "note" }, sealed ? "Withheld: this release is sealed." : "None.")];
    }
    if (!listed.count) return [];
    const heading = make("h4", {}, listed.count === 1 ? title : `${title}s (${number(listed.count)})`);
    const texts = listed.first.map((parts) => make("span", { class: "text", lang }, cut(parts)));
    const more = listed.count - texts.length;
    const told = more > 0 ? make("p", { class: "note" }, `and ${number(more)} more, not in this page`) : null;
    if (listed.count === 1) return [heading, make("div", { class: "answers" }, texts)];
    return [heading, make("ol", ordered ? { type: "A", class: "choices" } : { class: "answers" },
      texts.map((text) => make("li", {}, text))), told];
  }

  function choices(row, lang) {
    const parts = items("Choice", row.choices, lang, true);
    const gold = row.answers.count === 1 ? row.answers.first[0] : [];
    const place = gold.length === 1 && /^[A-Z]$/.test(gold[0]) ? gold[0].charCodeAt(0) - 65 : -1;
    const marked = parts.length ? parts[1].children[place] : null;
    if (marked) marked.append(make("span", { class: "gold" }, "✓ gold"));
    return parts;
  }

  function strip(row) {
    const { marks, count } = row.evidence;
    const svg = document.createElementNS(SVG, "svg");
    const put = (name, attributes) => {
      const node = document.createElementNS(SVG, name);
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
      svg.append(node);
    };
    const places = marks.slice(0, 12).map(([start]) => percent(start)).join(", ");
    const told = `Where ${count === 1 ? "the evidence stands" : `${number(count)} pieces of evidence stand`} in the prompt: `;
    svg.setAttribute("viewBox", "0 0 1000 24");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("class", "depth-strip");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", told + places + (marks.length > 12 ? ", …" : ""));
    put("rect", { class: "track", x: 0, y: 8, width: 1000, height: 8 });
    for (const [start, end] of marks) {
      const width = Math.max(3, (end - start) * 1000);
      put("rect", { class: "place", x: Math.min(start * 1000, 1000 - width), y: 2, width, height: 20 });
    }
    return [svg, make("div", { class: "ends", "aria-hidden": "true" }, make("span", {}, "top of the prompt"), make("span", {}, "end"))];
  }

  function piece(one, number_, count, lang) {
    const depth = one.depth === null ? "no depth" : `depth ${percent(one.depth)}`;
    const place = `characters ${number(one.start)}–${number(one.end)}`;
    const caption = make("figcaption", {}, `${number(number_)} of ${number(count)} · ${depth} · ${place}`);
    if (!one.text.length) {
      return make("figure", { class: "evidence" }, caption, make("p", { class: "bad" }, "The span is empty or lies outside the prompt."));
    }
    const [more_before, more_after] = one.more;
    return make("figure", { class: "evidence" }, caption, make("div", { class: "text", lang },
      make("span", { class: "around" }, (more_before ? "…" : "") + one.before),
      make("mark", {}, cut(one.text)),
      make("span", { class: "around" }, one.after + (more_after ? "…" : ""))));
  }

  function evidence(row, lang) {
    const { count, pieces } = row.evidence;
    if (!count) return [make("h4", {}, "Evidence"), make("p", { class: "note" },
      sealed ? "Withheld: this release is sealed." : "No piece of evidence is marked in this row.")];
    const left = count - pieces.length;
    return [
      make("h4", {}, count === 1 ? "Evidence" : `Evidence (${number(count)} pieces)`),
      strip(row),
      pieces.map((one, place) => piece(one, place + 1, count, lang)),
      left ? make("p", { class: "note" }, `and ${plural(left, "more piece")}, not in this page`) : null,
    ];
  }

  function told(row) {
    if (row.facts.text) return row.facts.text[0] === "" ? [] : [make("h4", {}, "Facts"), make("pre", {}, cut(row.facts.text))];
    if (!row.facts.pairs.length) return [];
    const more = row.facts.left ? make("p", { class: "note" }, `and ${number(row.facts.left)} more, not in this page`) : null;
    return [make("h4", {}, "Facts"), facts(row.facts.pairs.map(([name, parts]) => [name, make("code", {}, cut(parts))])), more];
  }

  function prompt(row, lang) {
    const whole = !row.tail.length;
    const text = make("div", { class: "text", lang }, row.head);
    if (whole) return [make("h4", {}, "Prompt"), text];
    return [
      make("h4", {}, `Prompt, its first and last ${number((row.characters - row.between) / 2)} of ${plural(row.characters, "character")}`),
      text,
      make("p", {}, make("span", { class: "cut" }, `… ${plural(row.between, "character")} not in this page …`)),
      make("div", { class: "text", lang }, row.tail),
    ];
  }

  function step(place, word) {
    return place >= 0 && place < rows.length ? make("a", { href: hashOf(rows[place]) }, word) : null;
  }

  function draw(place) {
    const row = rows[place];
    const config = configs[row.config];
    const lang = row.variant.split("_").includes("zh") ? "zh" : null;
    const used = row.tokens + row.room;
    current = place;
    byId("row").replaceChildren(
      make("h3", { id: "row-title", tabindex: "-1" }, parted(row.id)),
      make("p", { class: "steps" },
        make("span", {}, `row ${number(row.index + 1)} of ${number(config.rows)} of ${config.name}`),
        step(place - 1, "← previous"), step(place + 1, "next →")),
      facts([
        ["Task", row.variant ? `${row.task}, variant ${row.variant}` : row.task],
        ["Length", `${number(row.tokens)} tokens + ${number(row.room)} for the answer = ${number(used)} of ${number(config.size)} (${row.bucket})`],
        ["Prompt", `${plural(row.characters, "character")}, ${plural(row.bytes, "byte")}`],
        ["Metric", make("code", {}, row.metric)],
        ["Complexity", number(row.complexity)],
        ["Item", make("code", {}, parted(row.item))],
        ["Group", make("code", {}, parted(row.group))],
        row.prefix ? ["Answer prefix", make("span", { class: "text", lang }, row.prefix)] : null,
        ["Prompt sha256", make("code", { class: "digest" }, row.sha256)],
        ["Row digest", make("code", { class: "digest" }, row.digest || "none"), " ",
          row.listed ? make("span", { class: "good" }, "✓ as listed") : make("span", { class: "bad" }, "✗ not as listed: carrara verify DIR")],
      ].filter((pair) => pair !== null)),
      ...items("Answer", row.answers, lang, false).filter((node) => node !== null),
      ...choices(row, lang).filter((node) => node !== null),
      ...evidence(row, lang).flat().filter((node) => node !== null),
      ...prompt(row, lang),
      ...told(row).filter((node) => node !== null),
    );
  }

  // --- finding rows ----------------------------------------------------------------------------------------------

  function found() {
    const words = search.value.trim().toLowerCase().split(/\s+/).filter((word) => word);
    const config = select.value === "" ? -1 : Number(select.value);
    return rows.map((_, place) => place).filter((place) => {
      const id = rows[place].id.toLowerCase();
      return (config < 0 || rows[place].config === config) && words.every((word) => id.includes(word));
    });
  }

  // A row of the release that this page does not hold.
  function elsewhere(id) {
    const match = /^(.*\/)([0-9]{5,7})$/.exec(id);
    const config = match && configs.find((one) => one.stem === match[1]);
    return config && Number(match[2]) < config.rows;
  }

  function list() {
    const places = found();
    const wanted = search.value.trim();
    const groups = new Map();
    for (const place of places.slice(0, MOST_LISTED)) {
      const config = rows[place].config;
      if (!groups.has(config)) groups.set(config, []);
      groups.get(config).push(place);
    }
    byId("list").replaceChildren(...[...groups].map(([config, group]) => make("section", {},
      make("h3", {}, configs[config].name),
      make("ul", {}, group.map((place) => make("li", {}, make("a",
        { href: hashOf(rows[place]), "aria-current": place === current ? "true" : null, "data-place": place },
        rows[place].id.slice(rows[place].id.lastIndexOf("/") + 1),
        make("span", {}, `${number(rows[place].tokens)} tokens`))))))));
    const cut_ = places.length > MOST_LISTED ? `, the first ${MOST_LISTED} below` : "";
    let status = `${number(places.length)} of ${plural(rows.length, "row")} in this page${cut_}`;
    if (!places.length && elsewhere(wanted)) {
      status = "This row is in the release, but not in this page. carrara show DIR ID prints it; "
        + "carrara page DIR --row ID puts it into a page.";
    }
    byId("status").textContent = status;
  }

  function show(place, moves) {
    draw(place);
    if (!found().includes(place)) {
      search.value = "";
      select.value = String(rows[place].config);
    }
    list();
    const link = byId("list").querySelector("[aria-current]");
    if (link) {
      const box = byId("list");
      const top = link.getBoundingClientRect().top - box.getBoundingClientRect().top;
      if (top < 0 || top > box.clientHeight - 30) box.scrollTop += top - box.clientHeight / 2;
      if (moves) link.focus({ preventScroll: true });
    }
  }

  function fromHash(first) {
    let hash = "";
    try {
      hash = decodeURIComponent(location.hash.slice(1));
    } catch {
      hash = "";
    }
    if (hash.startsWith("row=")) {
      const id = hash.slice(4);
      const inList = byId("list").contains(document.activeElement);
      if (rowOf.has(id)) {
        const below = matchMedia("(max-width: 56rem)").matches;
        if (below || first) byId(below ? "row" : "rows").scrollIntoView();
        show(rowOf.get(id), inList);
        // Beside the list the row is in sight already, and a reader who walks the list stays there.
        if (below || !inList) byId("row-title").focus({ preventScroll: true });
      } else {
        select.value = "";
        search.value = id;
        list();
        byId("status").scrollIntoView({ block: "center" });
      }
    } else if (hash.startsWith("config=")) {
      const place = configs.findIndex((one) => one.name === hash.slice(7));
      if (place >= 0) {
        search.value = "";
        select.value = String(place);
        const held = rows.findIndex((row) => row.config === place);
        if (held >= 0) draw(held);
        list();
        byId("rows").scrollIntoView();
        select.focus({ preventScroll: true });
      }
    }
  }

  function walk(event) {
    const links = [...byId("list").querySelectorAll("a")];
    const here = links.indexOf(document.activeElement);
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: links.length - 1 }[event.key];
    if (to === undefined || !links.length) return;
    event.preventDefault();
    if (to < 0) search.focus();
    else links[Math.min(to, links.length - 1)].focus();
  }

  function browse() {
    select.append(make("option", { value: "" }, "all configs"));
    const groups = new Map();
    configs.forEach((config, place) => {
      if (!groups.has(config.task)) groups.set(config.task, make("optgroup", { label: config.task }));
      groups.get(config.task).append(make("option", { value: place }, config.name));
    });
    select.append(...groups.values());
    select.addEventListener("change", list);
    search.addEventListener("input", list);
    search.addEventListener("keydown", (event) => {
      const places = found();
      if (event.key === "Enter") {
        const exact = rowOf.get(search.value.trim());
        const place = exact === undefined ? places[0] : exact;
        if (place !== undefined) location.hash = hashOf(rows[place]);
      } else if (event.key === "ArrowDown" && places.length) {
        event.preventDefault();
        byId("list").querySelector("a").focus();
      }
    });
    byId("list").addEventListener("keydown", walk);
    window.addEventListener("hashchange", () => fromHash(false));
    byId("browser").hidden = false;
    if (rows.length) draw(0);
    else byId("row").append(make("p", { id: "row-title" }, "No row is in this page."));
    list();
    fromHash(true);
  }

  // --- the table of configs, and the theme -------------------------------------------------------------------------

  function sortable(table) {
    const grouped = [...table.tBodies];
    const lines = grouped.flatMap((body) => [...body.rows].filter((line) => !line.classList.contains("group")));
    const homes = lines.map((line) => line.parentNode);
    const heads = [...table.tHead.rows[0].cells];
    const back = make("button", { type: "button" }, "Group by task");
    const tools = make("p", { class: "tools", hidden: "" }, back);
    const key = (line, column) => {
      const cell = line.cells[column];
      return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
    };
    const unsort = () => heads.forEach((head) => head.removeAttribute("aria-sort"));
    table.parentNode.before(tools);
    back.addEventListener("click", () => {
      unsort();
      lines.forEach((line, place) => homes[place].append(line));
      table.replaceChildren(table.tHead, ...grouped);
      tools.hidden = true;
      heads[0].querySelector("button").focus();
    });
    heads.forEach((head, column) => {
      const button = make("button", { type: "button" }, head.textContent);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const falls = head.getAttribute("aria-sort") === "ascending";
        const order = [...lines].sort((one, other) => {
          const [a, b] = [key(one, column), key(other, column)];
          return (a < b ? -1 : a > b ? 1 : 0) * (falls ? -1 : 1);
        });
        unsort();
        head.setAttribute("aria-sort", falls ? "descending" : "ascending");
        table.replaceChildren(table.tHead, make("tbody", {}, order));
        tools.hidden = false;
      });
    });
  }

  function themes(button) {
    const order = ["system", "light", "dark"];
    let place = 0;
    const stored = (value) => {
      // A browser may forbid a file to keep anything.
      try {
        if (value === undefined) return localStorage.getItem("carrara-theme");
        localStorage.setItem("carrara-theme", value);
      } catch {
        return null;
      }
      return null;
    };
    const set = () => {
      if (place) document.documentElement.dataset.theme = order[place];
      else delete document.documentElement.dataset.theme;
      button.textContent = `Theme: ${order[place]}`;
    };
    place = Math.max(0, order.indexOf(stored()));
    set();
    button.hidden = false;
    button.addEventListener("click", () => {
      place = (place + 1) % order.length;
      set();
      stored(order[place]);
    });
  }

  themes(byId("theme"));
  sortable(byId("configs-table"));
  browse();
})();
