import { describe, expect, test } from 'bun:test'
import { retryAfterInMessage } from './retry-after-in-message.ts'

describe('the time that the message of a limit names', () => {
  test.each([
    ['Rate limit reached for m in organization org-1 on requests per min. Limit: 3 / min. Please try again in 20s. Contact us', 20],
    ['Rate limit reached on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s. Need more?', 5],
    ['Limit 30000, Used 29000. Please try again in 560ms. Visit the page', 1],
    ['Please try again in 7m12.5s.', 60],
    ['Please try again in 6m0s', 60],
    ['Please try again in 2s', 2],
    ['exceeded token rate limit of your current pricing tier. Please retry after 9 seconds. Please go here', 9],
    ['Please retry after 86400 seconds.', 60],
    ['Please retry after 1 second.', 1],
    ['request reached organization max RPM: 3, please try again after 1 seconds', 1],
    ['Please retry in 44.07s.', 45],
    ['Try again in 2 minutes', 60],
    ['retry after 800 milliseconds', 1],
  ])('%p: %d', (message, seconds) => {
    expect(retryAfterInMessage(message)).toBe(seconds)
  })

  test.each(['Too many requests', 'Please try again later', 'try again in a moment', 'try again in 3 apples', 'retry after 1.2.3s', ''])(
    'is unknown: %p',
    (message) => {
      expect(retryAfterInMessage(message)).toBeNull()
    },
  )
})
