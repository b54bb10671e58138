import { account, type Binding, bindingColumns, user, userBaselineFields } from '@sluice/contract'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Controller, useFormContext, useWatch } from 'react-hook-form'
import { EntityEditPage, preloadRow } from '../../crud/entity-pages.tsx'
import { entityForms } from '../../crud/entity-spec.ts'
import { RevokeSwitch } from '../../crud/use-revoke-choice.tsx'
import type { Preload } from '../../lib/preload.ts'
import { isAdmin } from '../../lib/session.ts'
import { type MessageKey, useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall, useRead } from '../../lib/use-call.ts'
import { startGroups, useGroups } from '../../lib/use-groups.ts'
import { useOpenRow } from '../../lib/use-open-row.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { Input, PasswordInput } from '../../ui/input.tsx'
import { PickerControl } from '../../ui/picker-control.tsx'
import { QuotaControl } from '../../ui/quota-control.tsx'
import { changesOf, resolverFor, type UserInput, type UserValues, valuesOf } from './user-values.ts'

const fieldLabels: Readonly<Record<string, MessageKey>> = { display_name: 'user.displayName', group: 'user.group' }

const forms = entityForms({
  listPath: '/user',
  texts: {
    list: 'nav.user',
    addTitle: 'user.add.title',
    add: 'user.create',
    added: 'user.created.toast',
    editTitle: 'user.edit.title',
    edited: 'user.updated.toast',
  },
  get: user.get,
  create: user.create,
  update: user.update,
  search: user.search,
  newValues: { username: '', display_name: '', password: '', current_password: '', revoke_access_tokens: true, group: [], quota: '0' },
  toValues: valuesOf,
  resolverFor,
  toUpdate: changesOf,
  compared: { names: userBaselineFields, texts: { nameOf: (field, t) => t(fieldLabels[field] ?? 'user.username') } },
  nameOf: ({ id, username }) => `#${id} ${username}`,
  firstField: 'username',
  Fields: UserFields,
  isForAdmins: true,
})

const startRow = preloadRow(forms)

export const preload: Preload = (client, search, params) => {
  startRow(client, search, params)
  if (isAdmin()) startGroups(client)
}

export function UserEditPage(): ReactNode {
  return <EntityEditPage {...forms} />
}

function UserFields() {
  const t = useT()
  const { register, formState } = useFormContext<UserValues, unknown, UserInput>()
  const { errors } = formState
  return (
    <>
      <FormSection title={t('user.section.login')}>
        <Field label={t('user.username')} isRequired error={errors.username?.message}>
          {(control) => <Input {...control} {...register('username')} autoComplete="off" />}
        </Field>
        <Field label={t('user.displayName')} hint={t('user.displayName.hint')} error={errors.display_name?.message}>
          {(control) => <Input {...control} {...register('display_name')} autoComplete="off" />}
        </Field>
        <Field label={t('user.password.new')} hint={t('user.password.keep')} error={errors.password?.message}>
          {(control) => <PasswordInput {...control} {...register('password')} autoComplete="new-password" />}
        </Field>
        <CurrentPassword />
        <TokenChoice />
      </FormSection>
      <FormSection title={t('user.section.use')}>
        <GroupField />
        <Field label={t('user.quota')} hint={t('user.quota.hint')} error={errors.quota?.message}>
          {(control) => <QuotaControl control={control} name="quota" />}
        </Field>
      </FormSection>
      <Bindings />
    </>
  )
}

/** Shown for a new password of the own account, and for a new name of any. */
function CurrentPassword() {
  const t = useT()
  const { id } = useParams({ strict: false })
  const { register, formState } = useFormContext<UserValues>()
  const { data: self } = useRead(account.self, { input: {}, freshMs: 60_000 })
  const isTyped = useWatch<UserValues, 'password'>({ name: 'password' }) !== ''
  const isRenamed = useWatch<UserValues, 'username'>({ name: 'username' }) !== formState.defaultValues?.username
  const isOwn = self !== undefined && String(self.id) === id
  if (id === undefined || !((isTyped && isOwn) || isRenamed)) return null
  return (
    <Field label={t('user.current')} hint={t('user.current.hint')} error={formState.errors.current_password?.message}>
      {(control) => <PasswordInput {...control} {...register('current_password')} autoComplete="current-password" />}
    </Field>
  )
}

/** Shown for a new password. */
function TokenChoice() {
  const { control } = useFormContext<UserValues>()
  const isTyped = useWatch<UserValues, 'password'>({ name: 'password' }) !== ''
  if (!isTyped) return null
  return (
    <Controller
      name="revoke_access_tokens"
      control={control}
      render={({ field }) => <RevokeSwitch isOn={field.value} onChange={field.onChange} />}
    />
  )
}

function GroupField() {
  const t = useT()
  const { formState } = useFormContext<UserValues, unknown, UserInput>()
  const groups = useGroups()
  return (
    <Field label={t('user.group')} hint={t('user.group.hint')} error={formState.errors.group?.message}>
      {(control) => <PickerControl name="group" control={control} label={t('user.group')} items={groups} allowsCustom />}
    </Field>
  )
}

/** How the account can also log in: read-only (specification, section 5), but one that its owner has lost can be removed. */
function Bindings() {
  const t = useT()
  const { id = '' } = useParams({ strict: false })
  const { data: row } = useRead(user.get, { input: { id }, isEnabled: false })
  const unbinding = useOpenRow<Method>()
  const unbind = useCall(user.unbind, { onDone: () => showToast('success', t('action.done')) })
  if (row === undefined) return null
  return (
    <FormSection title={t('user.section.bindings')}>
      {methods.map((method) => (
        <Field key={method.way} label={t(`user.${method.way}`)}>
          {(control) => (
            <div className="flex gap-2">
              <Input {...control} readOnly value={row[method.column]} placeholder={t('user.unbound')} />
              {row[method.column] === '' ? null : <Button onClick={() => unbinding.open(method)}>{t('user.unbind')}</Button>}
            </div>
          )}
        </Field>
      ))}
      {unbinding.row === null ? null : (
        <ConfirmDialog
          title={t('user.unbind.title', { name: row.username, method: t(`user.${unbinding.row.way}`) })}
          text={t('user.unbind.text')}
          confirmLabel={t('user.unbind')}
          isOpen={unbinding.isOpen}
          onCancel={unbinding.close}
          onConfirm={() => {
            unbinding.close()
            if (unbinding.row !== null) unbind.mutate({ id: row.id, way: unbinding.row.way })
          }}
        />
      )}
    </FormSection>
  )
}

interface Method {
  readonly way: Binding
  readonly column: (typeof bindingColumns)[Binding]
}

const methods: readonly Method[] = [
  { way: 'email', column: bindingColumns.email },
  { way: 'github', column: bindingColumns.github },
  { way: 'google', column: bindingColumns.google },
  { way: 'oidc', column: bindingColumns.oidc },
  { way: 'wechat', column: bindingColumns.wechat },
  { way: 'lark', column: bindingColumns.lark },
]
