import { describe, expect, test } from 'bun:test'
import { runningTokens } from '@sluice/vendors/core/running-tokens'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

describe('output of a running stream', () => {
  const texts = {
    english: 'Nobody pays twice for the same words, and nobody is cut in the middle of them.',
    chinese: '在这个例子中，我们将讨论如何在流式响应运行时对输出进行计数，并在余额不足时停止。',
    japanese: 'この例では、ストリーミング中に出力を数え、残高が不足したときに停止する方法について説明します。',
    korean: '이 예에서는 스트리밍 중에 출력을 세고 잔액이 부족할 때 중지하는 방법을 설명합니다.',
    russian: 'В этом примере мы рассмотрим, как подсчитывать выходные данные во время потоковой передачи.',
    code: 'export function sum(list: readonly number[]): number {\n  return list.reduce((a, b) => a + b, 0)\n}\n',
  }

  test.each(Object.entries(texts))('is estimated close to its count, however it is split: %s', (_, text) => {
    const exact = countTokens(text)
    const letters = [...text].reduce((sum, letter) => sum + runningTokens(letter), 0)
    expect(letters).toBeCloseTo(runningTokens(text), 6)
    expect(letters / exact).toBeGreaterThan(0.7)
    expect(letters / exact).toBeLessThan(1.7)
  })
})
