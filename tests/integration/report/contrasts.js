// Texts whose contrast with what is under them is below 4.5 (WCAG 2.2, 1.4.3), and the colour of the paper.
() => {
  const share = value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = colour => {
    const [red, green, blue] = colour.match(/[0-9.]+/g).slice(0, 3).map(part => share(part / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const under = node => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if (!/, 0\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = {};
  for (const node of document.querySelectorAll("body *")) {
    const says = [...node.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim());
    if (!says || node.closest("svg, .sr, [hidden], script")) continue;
    const both = [luminance(getComputedStyle(node).color), luminance(under(node))].sort((a, b) => b - a);
    const ratio = (both[0] + 0.05) / (both[1] + 0.05);
    if (ratio < 4.5) poor[`${node.tagName}.${node.className} ${node.textContent.slice(0, 30)}`] = ratio;
  }
  return [poor, getComputedStyle(document.body).backgroundColor];
}
