import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type LoginMethod, rememberLoginMethod } from './login-method.ts'
import { signIn } from './session.ts'

/** Stores the user of a login and forgets what was read before it. */
export function useSignIn(): (user: unknown, method: LoginMethod) => void {
  const client = useQueryClient()
  return (user, method) => {
    signIn(user)
    rememberLoginMethod(method)
    forgetReads(client)
  }
}

function forgetReads(client: QueryClient): void {
  // The exchange of a code that brought the user must not be sent again.
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'status' && queryKey[0] !== 'exchange' })
}
