import { type Conversation, defaultParameters, lanesMax, type Parameters } from './conversation.ts'
import type { Variables } from './variables.ts'

/** What of a conversation is chosen and not said: it outlives the conversation, in the browser or in a file. */
export type Setup = Pick<Conversation, 'models' | 'parameters' | 'own' | 'variables'>

export const setupOf = ({ models, parameters, own, variables }: Setup): Setup => ({ models, parameters, own, variables })

/** Anything as an object that is read by names; what is none has no members. */
export const readObject = (value: unknown): Readonly<Record<string, unknown>> =>
  // Holds: any object can be read by names; each member is checked before use.
  (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>

/** Reads what may come from another version of this page, or from another program: what is not right is as it is at first. */
export function readSetup(stored: unknown): Setup {
  const { models, parameters, own, variables } = readObject(stored)
  const isRight = Array.isArray(models) && models.length > 0 && models.every((name) => typeof name === 'string')
  return {
    models: isRight ? models.slice(0, lanesMax) : [''],
    parameters: readParameters(parameters),
    own: Array.isArray(own)
      ? own.slice(0, lanesMax).map((one) => (typeof one === 'object' && one !== null ? readParameters(one) : null))
      : [],
    variables: readVariables(variables),
  }
}

function readParameters(stored: unknown): Parameters {
  const right = Object.entries(readObject(stored)).filter(([name, value]) => typeof value === typeof Object(defaultParameters)[name])
  // Holds: only members of the parameters, of their own type, are taken over.
  return { ...defaultParameters, ...Object.fromEntries(right) } as Parameters
}

function readVariables(stored: unknown): Variables {
  const texts = Object.entries(readObject(stored)).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(texts)
}
