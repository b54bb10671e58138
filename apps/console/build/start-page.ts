import type { Plugin } from 'vite'
import { oldestBrowsers } from './browsers.ts'

/**
 * Completes `index.html`: the versions that it names to readers of older browsers, and the path below which a development server or another
 * web server publishes the console. @param base with a final slash
 */
export function startPage(base: string): Plugin {
  const basePath = base.slice(0, -1)
  return {
    name: 'start-page',
    transformIndexHtml: (html) => {
      const named = Object.entries(oldestBrowsers).reduce((text, [name, version]) => text.replaceAll(`%${name}%`, version), html)
      return basePath === '' ? named : named.replace('<html', `<html data-base-path="${basePath}"`)
    },
  }
}
