/** Pages of visitors: login, registration, password reset, callbacks of other logins. */
export const login = {
  'login.title': 'Log in to {name}',
  'login.username': 'Username or email',
  'login.password': 'Password',
  'login.submit': 'Log in',
  'login.busy': 'Logging in…',
  'login.done': 'Login successful!',
  'login.expired': 'Not logged in or login expired, please log in again',
  'login.default': 'You are using the default password. Change the default password immediately.',
  'login.username.missing': 'Enter your username or email',
  'login.password.missing': 'Enter your password',
} as const
