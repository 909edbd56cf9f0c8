"""What the Exam page reads, reckons and draws; the page itself is `console.pages.exam`."""
