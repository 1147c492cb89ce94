package dev.posthorn.examples.orders;

import jakarta.persistence.CheckConstraint;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.AbstractAggregateRoot;

/** An order, which tells what happens to it: saving it records its events. */
@Entity
class PlacedOrder extends AbstractAggregateRoot<PlacedOrder> {

    @Id
    private UUID id = UUID.randomUUID();

    /** With it two changes at the same time do not both start from the same amount. */
    @Version
    private @Nullable Long version;

    private String customer = "";

    @Column(check = @CheckConstraint(constraint = "amount > 0"))
    private long amount;

    static PlacedOrder of(String customer, long amount) {
        PlacedOrder order = new PlacedOrder();
        order.customer = customer;
        order.amount = amount;
        order.registerEvent(new OrderPlaced(order.id, customer, amount));
        return order;
    }

    PlacedOrder changeTo(long newAmount) {
        registerEvent(new OrderChanged(id, customer, amount, newAmount));
        amount = newAmount;
        return this;
    }

    UUID id() {
        return id;
    }
}
