// What things are called, and elements: for all pages.

// Made by DeclaredListsTests.
const names = {
  twoThumbsUp: "Both thumbs up",
  twoThumbsDown: "Both thumbs down",
  twoVictories: "Victory with both hands",
  twoHorns: "Horns with both hands",
};

/** thumbsUp → Thumbs up, text:Well done → Well done */
export function title(name) {
  if (name.startsWith("text:")) return name.slice(5);
  if (names[name]) return names[name];
  const words = name.replace(/[-_]/g, " ").replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in element && key !== "list" && key !== "role") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}
