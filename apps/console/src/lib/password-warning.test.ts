import { expect, test } from 'bun:test'
import { passwordWarning } from './password-warning.ts'

test('an owner is warned of the built-in password, and of having none but a setup link', () => {
  expect(passwordWarning({ default_password: true, setup_pending: false })).toBe('default')
  expect(passwordWarning({ default_password: false, setup_pending: true })).toBe('setup')
  expect(passwordWarning({ default_password: false, setup_pending: false })).toBeNull()
})
