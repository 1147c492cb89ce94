package dev.posthorn.spring.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.springframework.data.domain.AbstractAggregateRoot;

/** An aggregate that tells what happens to it. */
@Entity
public class Purchase extends AbstractAggregateRoot<Purchase> {

    @Id
    private String id;

    private int total;

    protected Purchase() {}

    public Purchase(String id) {
        this.id = id;
    }

    public String getId() {
        return id;
    }

    public int getTotal() {
        return total;
    }

    public void setTotal(int total) {
        this.total = total;
    }

    public Purchase pay() {
        return andEvent(new PurchasePaid(this, 1));
    }

    Purchase andEvent(PurchasePaid event) {
        registerEvent(event);
        return this;
    }
}
