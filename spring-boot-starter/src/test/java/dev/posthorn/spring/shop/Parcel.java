package dev.posthorn.spring.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import jakarta.persistence.PostRemove;
import jakarta.persistence.PostUpdate;
import jakarta.persistence.PrePersist;
import jakarta.persistence.PreRemove;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Transient;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Persistable;

/** An entity that calls back whoever listens on the same thread. */
@Entity
public class Parcel implements Persistable<String> {

    private static final ThreadLocal<Told> LISTENING = new ThreadLocal<>();

    private record Told(Moment moment, Runnable work) {}

    /** When JPA calls an entity back. */
    public enum Moment {
        PRE_PERSIST,
        POST_PERSIST,
        PRE_UPDATE,
        POST_UPDATE,
        PRE_REMOVE,
        POST_REMOVE;

        /** Makes it happen, for an update or a removal to the parcel that is there. */
        public void bringAbout(Parcels parcels, String id) {
            switch (this) {
                case PRE_PERSIST, POST_PERSIST ->
                    parcels.save(new Parcel(UUID.randomUUID().toString()));
                case PRE_UPDATE, POST_UPDATE -> parcels.findById(id).orElseThrow().weight++;
                default -> parcels.delete(parcels.findById(id).orElseThrow());
            }
        }
    }

    @Id
    private String id;

    private int weight;

    @Transient
    private boolean fresh;

    protected Parcel() {}

    public Parcel(String id) {
        this.id = id;
        this.fresh = true;
    }

    /** Does what changes parcels, with this listener. */
    public static void told(Moment moment, Runnable listener, Runnable change) {
        LISTENING.set(new Told(moment, listener));
        try {
            change.run();
        } finally {
            LISTENING.remove();
        }
    }

    private static void tell(Moment moment) {
        Told told = LISTENING.get();
        if (told != null && told.moment() == moment) {
            told.work().run();
        }
    }

    @Override
    public @Nullable String getId() {
        return id;
    }

    public int getWeight() {
        return weight;
    }

    /** So that it is not looked for before it is inserted. */
    @Override
    public boolean isNew() {
        return fresh;
    }

    @PrePersist
    void prePersist() {
        tell(Moment.PRE_PERSIST);
    }

    @PostPersist
    void postPersist() {
        tell(Moment.POST_PERSIST);
    }

    @PreUpdate
    void preUpdate() {
        tell(Moment.PRE_UPDATE);
    }

    @PostUpdate
    void postUpdate() {
        tell(Moment.POST_UPDATE);
    }

    @PreRemove
    void preRemove() {
        tell(Moment.PRE_REMOVE);
    }

    @PostRemove
    void postRemove() {
        tell(Moment.POST_REMOVE);
    }
}
