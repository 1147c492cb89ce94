-- A pause is obeyed by every instance at its own next look. Each says here when it has.

-- quiet: the subscription is paused, nothing of it is on its way from this instance, and it sends nothing until it has
-- seen the subscription resumed.
ALTER TABLE posthorn.instance ADD COLUMN quiet boolean NOT NULL DEFAULT false;
