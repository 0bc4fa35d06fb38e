/**
 * Names this browser tab to the server, which keeps its open files apart from those of other tabs.
 *
 *     load: taken out of sessionStorage, else drawn ──> in memory alone ──> pagehide: put back, for a reload to find
 *
 * A browser copies sessionStorage into the tab that it duplicates or opens. While the page lives nothing is there to
 * be copied, so that no two tabs have one name.
 */
const KEPT = "workroom.tab";

export const TAB = sessionStorage.getItem(KEPT) ?? crypto.randomUUID();

addEventListener("pagehide", () => sessionStorage.setItem(KEPT, TAB));
addEventListener("pageshow", () => sessionStorage.removeItem(KEPT)); // loaded, or back from where a browser keeps pages
