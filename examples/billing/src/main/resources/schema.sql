-- Double entries: those of a booking sum to zero. order_amount is what the order is worth after the booking.
CREATE TABLE IF NOT EXISTS entry (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    booking      uuid   NOT NULL,
    order_id     uuid   NOT NULL,
    account      text   NOT NULL,
    amount       bigint NOT NULL,
    order_amount bigint NOT NULL
);
