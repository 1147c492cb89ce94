package dev.posthorn.spring.fivelines;

import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.fivelines.OrderService.OrderPlaced;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.stereotype.Component;

/** The listener of the README. */
@Component
class Billing {

    final BlockingQueue<OrderPlaced> booked = new LinkedBlockingQueue<>();

    @InboxListener(topics = "orders", consumer = "billing")
    void book(OrderPlaced order) {
        booked.add(order);
    }
}
