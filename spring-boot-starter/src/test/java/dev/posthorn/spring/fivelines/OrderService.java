package dev.posthorn.spring.fivelines;

import dev.posthorn.spring.OutboxEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class OrderService {

    private final ApplicationEventPublisher events;

    OrderService(ApplicationEventPublisher events) {
        this.events = events;
    }

    @Transactional
    void place(String orderId, int total) {
        // your change of the database
        events.publishEvent(new OrderPlaced(orderId, total));
    }

    @OutboxEvent(type = "order.placed", key = "orderId")
    record OrderPlaced(String orderId, int total) {}
}
