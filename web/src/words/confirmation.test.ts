import { expect, test } from "vitest";
import { confirmationOf } from "./confirmation";

test("a confirmation lists what would be sent, where, and what takes it back", () => {
  const preview = {
    kind: "structured-booking",
    fields: [
      { name: "price", label: "Price", value: 80 },
      { name: "guests", label: "Guests", value: ["Ana", "Ben"] },
    ],
    host: "hotels.example",
    cancels: "hotel_cancel",
    personalData: ["name"],
  };
  expect(confirmationOf(preview)).toEqual({
    kind: "structured-booking",
    fields: [
      { label: "Price", value: "80" },
      { label: "Guests", value: '["Ana","Ben"]' },
    ],
    legs: [],
    totals: [],
    host: "hotels.example",
    cancels: "hotel_cancel",
    personalData: ["name"],
  });
});

test("a mission lists its legs and the sum of what is named", () => {
  const preview = {
    kind: "structured-trip",
    legs: [
      {
        id: "flight",
        tool: "flight_book",
        title: "Book a flight",
        arguments: { price: 120 },
        takenBackBy: "flight_cancel",
      },
      { id: "car", tool: "car_book", arguments: { place: "LIS" }, asksAgain: true },
    ],
    total: { EUR: 120 },
  };
  const view = confirmationOf(preview);
  expect(view?.totals).toEqual(["120 EUR"]);
  expect(view?.legs.map(({ title, takenBackBy, asksAgain }) => [title, takenBackBy, asksAgain])).toEqual([
    ["Book a flight", "flight_cancel", false],
    ["car_book", undefined, true],
  ]);
});

test("other previews are no confirmations", () => {
  for (const preview of [undefined, null, "structured-trip", { change: {} }, { kind: "preview" }]) {
    expect(confirmationOf(preview)).toBeUndefined();
  }
});
