import { defineConfig } from '@playwright/test'

/** Servers on loopback respond at once; anything slower than this is broken, also on a slow machine. */
const expectMs = 10_000

/** A page of a test is open for a second: its scripts end before it pays to optimise them. What measures a page runs it as its users do. */
const isMeasured = process.env['SPEED'] === 'true' || process.env['LARGE'] === 'true'
const withoutOptimisers = ['--js-flags=--no-opt,--no-maglev']

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  fullyParallel: true,
  forbidOnly: process.env['CI'] === 'true',
  // One more than the cores of a small machine, because browsers also wait.
  workers: 3,
  // On a machine that does other work too, a browser may stand still for seconds. A test that needs its second try is printed.
  retries: process.env['CI'] === 'true' ? 1 : 0,
  timeout: 60_000,
  expect: { timeout: expectMs },
  use: {
    actionTimeout: expectMs,
    navigationTimeout: 30_000,
    locale: 'en-US',
    timezoneId: 'Europe/Berlin',
    colorScheme: 'light',
    launchOptions: {
      ...(process.env['CHROMIUM_PATH'] === undefined ? {} : { executablePath: process.env['CHROMIUM_PATH'] }),
      // Without a process for graphics of its own a browser takes about a tenth less CPU.
      args: [
        ...['--no-sandbox', '--disable-gpu', '--in-process-gpu', '--disable-background-networking'],
        ...(isMeasured ? [] : withoutOptimisers),
      ],
    },
  },
  projects: [
    // `npm run readme-image` recreates the image of the README; it is not a test.
    ...(process.env['README_IMAGE'] === 'true'
      ? [{ name: 'readme-image', testMatch: '**/readme-image.ts', use: { viewport: { width: 1440, height: 900 } } }]
      : []),
    // `npm run screenshots` writes images of all pages; it is not a test either.
    ...(process.env['SCREENSHOTS'] === 'true'
      ? [
          { name: 'screenshots', testMatch: '**/screenshots.ts', use: { viewport: { width: 1440, height: 900 } } },
          {
            name: 'screenshots-phone',
            testMatch: '**/screenshots.ts',
            use: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
          },
          // A window of 1440 x 900 pixels, in which somebody has zoomed to 200 %.
          {
            name: 'screenshots-zoom',
            testMatch: '**/screenshots.ts',
            use: { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 },
          },
        ]
      : []),
    // `npm run large` runs each flow on a large log, which takes minutes to fill.
    ...(process.env['LARGE'] === 'true'
      ? [{ name: 'large', testMatch: '**/large.ts', use: { viewport: { width: 1440, height: 900 } } }]
      : []),
    // `npm run speed` measures what a user waits for.
    ...(process.env['SPEED'] === 'true' ? [{ name: 'speed', testMatch: '**/speed.ts', fullyParallel: false }] : []),
    { name: 'desktop', testIgnore: '**/*.phone.spec.ts', use: { viewport: { width: 1440, height: 900 } } },
    {
      name: 'phone',
      testMatch: ['**/*.phone.spec.ts', '**/accessibility.spec.ts'],
      use: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
    },
  ],
})
