/**
 * The oldest browsers that the console supports, by the names that esbuild's targets and MDN's compatibility data share. A check reads what
 * the built files use and compares it with this list (`tools/browser-support.ts`).
 */
export const oldestBrowsers = { chrome: '111', edge: '111', firefox: '115', safari: '16.4', ios: '16.4' } as const

/** The list as Vite takes it. */
export const buildTargets: readonly string[] = Object.entries(oldestBrowsers).map(([name, version]) => `${name}${version}`)
