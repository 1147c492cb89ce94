package dev.posthorn.spring.shop;

import dev.posthorn.spring.OutboxEvent;

/** Its key is two steps away, the last one a getter. */
@OutboxEvent(type = "purchase.paid", key = "purchase.id", aggregateType = "purchase", version = 2)
public record PurchasePaid(Purchase purchase, int unused) {}
