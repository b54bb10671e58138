import { expect, test } from 'bun:test'
import { filled, valuesIn, variablesIn } from './variables.ts'

test('variables are found once, in their order, with names of any alphabet', () => {
  expect(variablesIn(['Dear {{name}}, about {{ topic }}:', '{{topic}} and {{城市}} and {{a.b-c_1}}'])).toEqual([
    'name',
    'topic',
    '城市',
    'a.b-c_1',
  ])
  expect(variablesIn(['{name} {{}} {{ }} {{1st}} {{two words}} {{#if x}} {{{deep}}}'])).toEqual(['deep'])
  expect(variablesIn([Array.from({ length: 40 }, (_, index) => `{{v${index}}}`).join(' ')])).toHaveLength(30)
})

test('values stand in the place of their variables, and are not read for variables themselves', () => {
  expect(filled('{{a}} and {{ a }} and {{b}}', { a: '{{b}} $& $1', b: 'two' })).toBe('{{b}} $& $1 and {{b}} $& $1 and two')
})

test('a variable without a value stays as it is', () => {
  expect(filled('{{a}} {{b}} {{toString}}', { a: '' })).toBe('{{a}} {{b}} {{toString}}')
})

test('a prompt keeps the values that it uses, and no others', () => {
  expect(valuesIn(['{{a}} {{c}}'], { a: 'one', b: 'two' })).toEqual({ a: 'one' })
})
