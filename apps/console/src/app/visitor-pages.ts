import { useRouterState } from '@tanstack/react-router'

const paths = ['/login', '/register', '/reset', '/user/reset', '/setup', '/oauth/github', '/oauth/google', '/oauth/oidc', '/oauth/lark']

/** Whether the page is one of those that bring an account in. They show no account and send no call that needs one. */
export function useIsVisitorPage(): boolean {
  return useRouterState({ select: ({ location }) => paths.includes(location.pathname) })
}
