import { useQueryClient } from '@tanstack/react-query'
import { type LoginMethod, rememberLoginMethod } from './login-method.ts'
import { forgetReads } from './reads.ts'
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
