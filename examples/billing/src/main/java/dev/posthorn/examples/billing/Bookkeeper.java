package dev.posthorn.examples.billing;

import dev.posthorn.event.Event;
import dev.posthorn.spring.InboxListener;
import java.util.UUID;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Enters what it hears of orders in the books. */
@Component
class Bookkeeper {

    private final Books books;
    private final JsonMapper json;

    Bookkeeper(Books books, JsonMapper json) {
        this.books = books;
        this.json = json;
    }

    /** In one transaction with the note that the event was taken, so it is booked once however often it comes. */
    @InboxListener(topics = "order.events")
    void on(Event event) {
        switch (event.type()) {
            case "order.placed" -> book(event, json.readValue(event.payload(), Placed.class));
            case "order.changed" -> book(event, json.readValue(event.payload(), Changed.class));
            default -> {
                // Nothing that changes what is owed.
            }
        }
    }

    private void book(Event event, Placed order) {
        books.book(event.id(), order.orderId(), order.customer(), order.amount(), order.amount());
    }

    private void book(Event event, Changed order) {
        long difference = order.amount() - order.amountBefore();
        books.book(event.id(), order.orderId(), order.customer(), difference, order.amount());
    }

    record Placed(UUID orderId, String customer, long amount) {}

    record Changed(UUID orderId, String customer, long amountBefore, long amount) {}
}
