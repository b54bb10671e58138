import { secondStepOf } from './api.ts'

/** The outcome of the first factor of a login: the user, or what the second factor can be. */
type FirstStep = { readonly isDone: true; readonly user: unknown } | { readonly isDone: false; readonly secondStep: string }

/** A prompt for a second factor is not a failure of the first. @throws CallError */
export async function firstStep(login: Promise<unknown>): Promise<FirstStep> {
  try {
    return { isDone: true, user: await login }
  } catch (error) {
    const secondStep = secondStepOf(error)
    if (secondStep === '') throw error
    return { isDone: false, secondStep }
  }
}
