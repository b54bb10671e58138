import type { Page } from '@playwright/test'

/** Holds the answers of a call until the returned function is called. */
export async function hold(page: Page, path: string | RegExp): Promise<() => void> {
  let answer = (): void => {}
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(path, async (route) => {
    await mayAnswer
    await route.fallback()
  })
  return () => answer()
}
