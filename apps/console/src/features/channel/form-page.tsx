import { channel, channelShownNames } from '@sluice/contract'
import type { ReactNode } from 'react'
import { EntityAddPage, EntityEditPage, preloadRow } from '../../crud/entity-pages.tsx'
import { entityForms } from '../../crud/entity-spec.ts'
import type { Preload } from '../../lib/preload.ts'
import { isAdmin } from '../../lib/session.ts'
import { startGroups } from '../../lib/use-groups.ts'
import { vendors } from '../../lib/vendors.ts'
import { ChannelFields } from './channel-fields.tsx'
import { changesOf, resolverFor } from './channel-resolver.ts'
import { copyOf, newChannel, valuesOf } from './channel-values.ts'
import { fieldText } from './field-text.ts'
import { FormTest } from './form-test.tsx'
import { channelMemberName } from './member-name.ts'
import { startCatalogue } from './use-catalogue.ts'

const channelForms = entityForms({
  listPath: '/channel',
  texts: {
    list: 'nav.channel',
    addTitle: 'channel.add.title',
    addLead: 'channel.add.lead',
    add: 'action.save',
    added: 'channel.created',
    editTitle: 'channel.edit.title',
    edited: 'channel.updated',
  },
  get: channel.get,
  create: channel.create,
  update: channel.update,
  search: channel.search,
  newValues: newChannel(vendors[0]?.type ?? 1),
  toCopy: copyOf,
  toValues: valuesOf,
  resolverFor,
  toUpdate: changesOf,
  compared: { names: channelShownNames, texts: { nameOf: channelMemberName, textOf: fieldText } },
  nameOf: ({ id, name }) => `#${id} ${name}`,
  firstField: 'name',
  Fields: ChannelFields,
  Actions: FormTest,
  isForAdmins: true,
})

const startRow = preloadRow(channelForms)

export const preload: Preload = (client, search, params) => {
  startRow(client, search, params)
  if (!isAdmin()) return
  startGroups(client)
  startCatalogue(client)
}

export function ChannelAddPage(): ReactNode {
  return <EntityAddPage {...channelForms} />
}

export function ChannelEditPage(): ReactNode {
  return <EntityEditPage {...channelForms} />
}
