import type { Page } from '@playwright/test'

/** Holds the responses of a call until the returned function is called. */
export async function hold(page: Page, path: string | RegExp): Promise<() => void> {
  let response = (): void => {}
  const mayResponse = new Promise<void>((resolve) => {
    response = resolve
  })
  await page.route(path, async (route) => {
    await mayResponse
    await route.fallback()
  })
  return () => response()
}
