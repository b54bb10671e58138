import { bearer } from '../../core/auth.ts'
import type { Vendor } from '../../core/vendor.ts'
import { sunoApiSongs } from './suno-api.ts'
import { sunoapiSongs } from './sunoapi.ts'

/** Services with their own form, recognized by the host of their address. */
const hasOwnForm = /^https?:\/\/(?:[\w-]{1,63}\.){0,16}(?:sunoapi\.org|kie\.ai)(?:[:/]|$)/i

/**
 * Suno has no interface for developers, so a channel gives the address of a relay. Source: as in `suno-api.ts` and `sunoapi.ts`, read 2026-11-23.
 */
export const suno: Vendor = {
  type: 45,
  name: 'Suno',
  color: 'orange',
  docs: { page: 'https://docs.newapi.pro/api/suno-music' },
  group: 'media',
  dialects: {},
  tasks: { songs: sunoApiSongs },
  routes: { baseUrl: null },
  variant: ({ baseUrl }) => (hasOwnForm.test(baseUrl) ? { tasks: { songs: sunoapiSongs } } : null),
  auth: bearer,
  key: { hint: 'sk-...' },
  models: { names: ['suno_lyrics', 'suno_music'] },
}
