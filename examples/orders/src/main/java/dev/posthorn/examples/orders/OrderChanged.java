package dev.posthorn.examples.orders;

import dev.posthorn.spring.OutboxEvent;
import java.util.UUID;

/** An order is worth another amount. */
@OutboxEvent(type = "order.changed", aggregateType = "order", key = "orderId")
record OrderChanged(UUID orderId, String customer, long amountBefore, long amount) {}
