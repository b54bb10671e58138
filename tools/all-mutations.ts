import { type Mutation, mutations } from './mutations.ts'
import { mutationsOfAccounts } from './mutations-of-accounts.ts'
import { mutationsOfApi } from './mutations-of-api.ts'
import { mutationsOfAvailability } from './mutations-of-availability.ts'
import { mutationsOfChannels } from './mutations-of-channels.ts'
import { mutationsOfConnections } from './mutations-of-connections.ts'
import { mutationsOfConsole } from './mutations-of-console.ts'
import { mutationsOfHttp } from './mutations-of-http.ts'
import { mutationsOfKinds } from './mutations-of-kinds.ts'
import { mutationsOfMoney } from './mutations-of-money.ts'
import { mutationsOfNodes } from './mutations-of-nodes.ts'
import { mutationsOfPopups } from './mutations-of-popups.ts'
import { mutationsOfPostgres } from './mutations-of-postgres.ts'
import { mutationsOfProtocols } from './mutations-of-protocols.ts'
import { mutationsOfReservations } from './mutations-of-reservations.ts'
import { mutationsOfSettings } from './mutations-of-settings.ts'
import { mutationsOfTabs } from './mutations-of-tabs.ts'

/** Every deliberate fault. */
export const allMutations: readonly Mutation[] = [
  ...mutations,
  ...mutationsOfAccounts,
  ...mutationsOfApi,
  ...mutationsOfAvailability,
  ...mutationsOfChannels,
  ...mutationsOfConnections,
  ...mutationsOfConsole,
  ...mutationsOfHttp,
  ...mutationsOfKinds,
  ...mutationsOfMoney,
  ...mutationsOfNodes,
  ...mutationsOfPopups,
  ...mutationsOfPostgres,
  ...mutationsOfProtocols,
  ...mutationsOfReservations,
  ...mutationsOfSettings,
  ...mutationsOfTabs,
]
