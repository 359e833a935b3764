import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  highestPricesOfPicture,
  type PricedPicture,
  pricesOfPicture,
} from '../../../domain/catalog/picture-price.ts';
import { parsePrice } from '../../../domain/catalog/token-price.ts';

const PRICING = {
  prompt: '0',
  completion: '0',
  outputImage: '0.04',
  outputImages: {
    low: '0.01',
    high: '0.16',
    '1536x1024': '0.06',
    '1536x1024_high': '0.25',
    '2k': '0.3',
  },
};

const billed = (picture: PricedPicture) => pricesOfPicture(PRICING, picture).outputImage;
const reserved = (picture: PricedPicture) => highestPricesOfPicture(PRICING, picture).outputImage;

describe('the price of a picture', () => {
  test.each<[PricedPicture, string, string]>([
    [{ size: '1536x1024', quality: 'high' }, '0.25', '0.25'],
    [{ size: '1536x1024', quality: 'low' }, '0.06', '0.06'],
    [{ size: '1024x1024', quality: 'high' }, '0.16', '0.16'],
    [{ size: '1024x1024', quality: 'medium' }, '0.04', '0.04'],
    [{ resolution: '2K', quality: 'medium' }, '0.3', '0.3'],
    [{ size: '1536x1024' }, '0.06', '0.25'],
    [{ size: '1024x1024' }, '0.04', '0.16'],
    [{ quality: 'low' }, '0.01', '0.3'],
    [{}, '0.04', '0.3'],
  ])('bills %j at %s and reserves %s', (picture, bill, reservation) => {
    expect([billed(picture), reserved(picture)]).toEqual([bill, reservation]);
  });

  test('stays as it is without variants', () => {
    const plain = { prompt: '0', completion: '0', outputImage: '0.04' };
    expect(pricesOfPicture(plain, { quality: 'high' })).toBe(plain);
    expect(highestPricesOfPicture(plain, {})).toBe(plain);
  });

  test('never exceeds the reservation of the same request', () => {
    const maybe = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const sizes = ['1024x1024', '1536x1024', '128x128'];
    const qualities = ['low', 'medium', 'high'];
    fc.assert(
      fc.property(
        maybe(...sizes),
        maybe(...qualities),
        fc.constantFrom(...sizes),
        fc.constantFrom(...qualities),
        fc.dictionary(
          fc.constantFrom(
            ...sizes,
            ...qualities,
            ...sizes.flatMap((size) => qualities.map((q) => `${size}_${q}`)),
          ),
          fc.constantFrom('0', '0.01', '0.2', '3'),
        ),
        (size, quality, madeSize, madeQuality, outputImages) => {
          const pricing = { ...PRICING, outputImages };
          const made = { size: size ?? madeSize, quality: quality ?? madeQuality };
          const bill = pricesOfPicture(pricing, made).outputImage!;
          const reservation = highestPricesOfPicture(pricing, { size, quality }).outputImage!;
          expect(parsePrice(bill) <= parsePrice(reservation)).toBe(true);
        },
      ),
    );
  });
});
