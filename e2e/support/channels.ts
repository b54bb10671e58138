import type { Page } from '@playwright/test'
import type { Gateway } from './gateway.ts'

export const channelRows = (page: Page) => page.getByRole('table', { name: 'Channels' }).locator('tbody').getByRole('row')

export const channelRow = (page: Page, name: string) => channelRows(page).filter({ has: page.getByText(name, { exact: true }) })

/** @returns the id */
export async function makeChannel(gateway: Gateway, name: string, more: object = {}): Promise<number> {
  const body = { name, type: 1, key: 'upstream-key', base_url: gateway.upstreamUrl, models: 'gpt-4o-mini', group: 'default', ...more }
  await gateway.api('/api/channel/', { method: 'POST', body })
  // Holds: the list contains the new channel, as its first row.
  const [newest] = (await gateway.api('/api/channel/?p=0')) as readonly { readonly id: number }[]
  return newest?.id ?? 0
}

/** Bodies of calls that write. */
export function writesOf(page: Page): readonly unknown[] {
  const writes: unknown[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/') && ['POST', 'PUT'].includes(request.method())) writes.push([request.method(), request.postDataJSON()])
    if (request.method() === 'DELETE') writes.push(['DELETE', pathname])
  })
  return writes
}
