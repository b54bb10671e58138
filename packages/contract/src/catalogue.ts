import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { noInput } from './parts.ts'

/** Groups and built-in model lists: what forms choose from. */
export const catalogue = {
  groups: endpoint({ method: 'GET', path: '/api/group/', access: 'admin', input: noInput, data: z.array(z.string()) }),
  /** Channel type number (as text) -> model names of that vendor. */
  models: endpoint({ method: 'GET', path: '/api/models', access: 'user', input: noInput, data: z.record(z.string(), z.array(z.string())) }),
}
