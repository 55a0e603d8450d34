import { expect, test } from 'vitest';
import { definePort, lookupAmong, offer } from '../../src/tools/port.ts';

const shelf = definePort<{ books: number }>('shelf');
const desk = definePort<{ pens: number }>('desk');

test('a lookup returns the service that was offered for the port, the last where there are several', () => {
  const service = lookupAmong([offer(shelf, { books: 1 }), offer(desk, { pens: 2 }), offer(shelf, { books: 3 })]);
  expect(service(shelf)).toEqual({ books: 3 });
  expect(service(desk)).toEqual({ pens: 2 });
});

test('a port without a service is named, also when another port has the same name', () => {
  const service = lookupAmong([offer(shelf, { books: 1 })]);
  expect(() => service(desk)).toThrow('no service for the port desk');
  expect(() => service(definePort<{ books: number }>('shelf'))).toThrow('no service for the port shelf');
});
