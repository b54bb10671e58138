import { expect, test } from 'bun:test'
import { createFormControl } from 'react-hook-form'
import { takeSaved } from './saved-values.ts'

const old = { name: 'old', models: ['a'], config: { region: 'eu' }, password: '' }

/** A form that shows what is stored, without a page. */
function openForm() {
  const form = createFormControl({ defaultValues: old })
  form.subscribe({ formState: { isDirty: true, dirtyFields: true }, callback: () => undefined })
  return { ...form, state: () => form.control._formState, defaults: () => form.control._defaultValues }
}

test('a saved form shows what is stored now, also what somebody else changed', () => {
  const form = openForm()
  form.setValue('name', ' new ', { shouldDirty: true })
  form.setValue('password', 'typed', { shouldDirty: true })
  const stored = { ...old, name: 'new', models: ['a', 'b'], config: { region: 'us' } }
  expect(takeSaved(form, { submitted: form.getValues(), stored })).toBe(true)
  expect(form.getValues()).toEqual(stored)
  expect(form.state().isDirty).toBe(false)
  expect(form.defaults()).toEqual(stored)
})

test('what was typed since is kept, and stays unsaved', () => {
  const form = openForm()
  form.setValue('name', 'new', { shouldDirty: true })
  const submitted = structuredClone(form.getValues())
  form.setValue('name', 'newer', { shouldDirty: true })
  form.setValue('config.region', 'us', { shouldDirty: true })
  expect(takeSaved(form, { submitted, stored: { ...old, name: 'new', models: ['b'] } })).toBe(false)
  expect(form.getValues()).toEqual({ name: 'newer', models: ['b'], config: { region: 'us' }, password: '' })
  expect(form.state().isDirty).toBe(true)
  expect(form.state().dirtyFields).toEqual({ name: true, config: { region: true } })
})

test('a field that is back at what is stored is saved', () => {
  const form = openForm()
  form.setValue('name', 'new', { shouldDirty: true })
  const submitted = structuredClone(form.getValues())
  form.setValue('name', 'old', { shouldDirty: true })
  expect(takeSaved(form, { submitted, stored: old })).toBe(true)
  expect(form.state().isDirty).toBe(false)
})
