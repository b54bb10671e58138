import type { Settings } from '@sluice/contract'
import type { Clock } from '../lib/clock.ts'
import type { OutsideAddresses } from './addresses.ts'
import { createService, type Guard } from './call.ts'
import { createMailer, type Mailer, type MailNetwork } from './smtp.ts'
import { type CheckHuman, createCheckHuman } from './turnstile.ts'

/** Every service outside that accounts and messages need. */
export interface Outside {
  readonly mailer: Mailer
  readonly checkHuman: CheckHuman
}

interface OutsideDeps {
  readonly settings: () => Settings
  readonly clock: Clock
  readonly addresses: OutsideAddresses
  /** For addresses from the options. The same rules as for channels: such servers often stand next door. */
  readonly guard: Guard
  readonly mailNetwork: MailNetwork
}

export function openOutside({ settings, clock, addresses, guard, mailNetwork: network }: OutsideDeps): Outside {
  return {
    mailer: createMailer({ settings, clock, guard, network }),
    checkHuman: createCheckHuman({ service: createService({ clock, name: 'Turnstile' }), base: addresses.turnstile, settings }),
  }
}
