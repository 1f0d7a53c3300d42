/** Texts for crawlers, and the icon that browsers ask for. */

/**
 * Paths that crawlers are asked to leave alone: diffs, raw files, archives, clones, searches, and folders and
 * files of all commits but the head.
 */
export const ROBOTS = `User-agent: *
Allow: /api/v1/*/tree/HEAD/
Allow: /api/v1/*/readme/HEAD
Disallow: /raw/
Disallow: /*/info/refs
Disallow: /api/v1/search
Disallow: /api/v1/repos/search
Disallow: /api/v1/*/commits
Disallow: /api/v1/*/diff/
Disallow: /api/v1/*/tree/
Disallow: /api/v1/*/blob/
Disallow: /api/v1/*/readme/
Disallow: /api/v1/*/stats/
`;

/** The icon of the page, as a picture. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">` +
  `<path d="M8 15V7M8 9C3 9 2 5 2 2c4 0 6 3 6 7M8 7c4 0 6-2 6-5-4 0-6 2-6 5" fill="none" stroke="#278a46" ` +
  `stroke-width="2"/></svg>\n`;
