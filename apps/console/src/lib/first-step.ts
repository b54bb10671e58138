import { secondStepOf } from './api.ts'

/** What became of the first step of a login: the user, or what the second step can be done with. */
type FirstStep = { readonly isDone: true; readonly user: unknown } | { readonly isDone: false; readonly secondStep: string }

/** A request for a second step is no failure of the first. @throws CallError */
export async function firstStep(login: Promise<unknown>): Promise<FirstStep> {
  try {
    return { isDone: true, user: await login }
  } catch (error) {
    const secondStep = secondStepOf(error)
    if (secondStep === '') throw error
    return { isDone: false, secondStep }
  }
}
