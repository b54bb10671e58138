import { expect, test } from 'bun:test'
import { isTrustedUsername, usernameProblem } from './username.ts'

test('names of one script, and the scripts of one language, are allowed', () => {
  for (const name of [
    'ann',
    'Ann Lee',
    "o'neil",
    'ann.lee@example.com',
    'a_b-c+d',
    '小明',
    '王小明abc',
    '阿里木·买买提',
    'たなかタロウ',
    '김철수',
    'Иван',
    'Ελένη',
    'مريم',
    'אנה',
    'आशा',
    'José',
    'สมชาย',
    '张三2024',
    'root-beer',
    'administrative',
  ])
    expect([name, usernameProblem(name)]).toEqual([name, null])
})

test('characters that are not seen, that change the line or the direction, and markup are refused', () => {
  const hidden = [
    'root\u200b',
    '\u202etoor',
    'a\nb',
    'a\u2028b',
    'a\tb',
    'a\u00adb',
    'a\u3164b',
    'a\ufe0fb',
    '\u2066ann\u2069',
    'a\u0000b',
    'a\ue000b',
  ]
  for (const name of [
    ...hidden,
    '<img>',
    'a&b',
    'a"b',
    'a/b',
    'a  b',
    ' ann',
    'ａｎｎ',
    'e\u0301',
    '\u0301a',
    `a${'\u0323'.repeat(5)}`,
    '👍',
    '①',
  ])
    expect([name, usernameProblem(name)]).toEqual([name, 'username_characters'])
})

test('alphabets with letters that look alike are not mixed', () => {
  for (const name of ['roоt', 'аnn', 'pаypal', 'Αnn', 'Иванann', 'ann\u0585', '小明Иван'])
    expect([name, usernameProblem(name)]).toEqual([name, 'username_scripts'])
  expect(usernameProblem('ᏒᎾᎾᎢ')).toBe('username_scripts')
})

test('names that look like one that others trust are refused', () => {
  for (const name of [
    'Root',
    'r00t',
    'ROOT',
    'r.o.o.t',
    'adm1n',
    'Admin',
    'rööt',
    'а\u0501міn'.replace('n', 'п'),
    'a d m i n',
    'admın',
    '@dmin',
    'sIuice',
    'sluıce',
  ])
    expect([name, usernameProblem(name)]).toEqual([name, 'username_reserved'])
  for (const name of ['root', 'admin', 'support']) expect([usernameProblem(name), isTrustedUsername(name)]).toEqual([null, true])
})
