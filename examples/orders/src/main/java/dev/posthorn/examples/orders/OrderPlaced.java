package dev.posthorn.examples.orders;

import dev.posthorn.spring.OutboxEvent;
import java.util.UUID;

/** An order is there. */
@OutboxEvent(type = "order.placed", aggregateType = "order", key = "orderId")
record OrderPlaced(UUID orderId, String customer, long amount) {}
