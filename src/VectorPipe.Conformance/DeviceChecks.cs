namespace VectorPipe.Conformance;

/// <summary>The promises of <see cref="Devices.IDevice"/> and <see cref="Devices.IDeviceQueue"/>, one named check for each.</summary>
/// <remarks>
/// A check opens the device that it checks, and closes it. Checks do not depend on each other, and run in any order. Faults of a device,
/// such as a read that the hardware refuses, are not provoked: that is up to tests of the device. Thread-safe.
/// </remarks>
public static class DeviceChecks
{
    private static readonly Dictionary<string, Action<CheckedDevice>> _checks = new Action<CheckedDevice>[]
    {
        ReadChecks.Length_is_that_of_the_file,
        ReadChecks.Reads_at_random_offsets_bring_the_bytes_of_their_positions,
        ReadChecks.Several_files_are_read_by_their_numbers,
        ReadChecks.A_read_across_the_end_of_the_file_is_short,
        ReadChecks.A_read_after_the_end_of_the_file_gives_nothing,
        ReadChecks.A_misaligned_read_is_refused_or_served_where_any_alignment_works,
        ReadChecks.A_read_out_of_range_is_refused,
        QueueChecks.A_full_queue_refuses_and_does_not_change_the_read,
        QueueChecks.Every_read_is_handed_back_exactly_once,
        QueueChecks.Reap_fills_no_more_than_the_span_and_keeps_the_rest,
        QueueChecks.Reap_without_waiting_gets_everything_in_the_end,
        QueueChecks.Reap_with_nothing_in_flight_returns_at_once,
        QueueChecks.A_capacity_out_of_range_is_refused,
        QueueChecks.The_largest_capacity_works,
        LifetimeChecks.Disposal_with_reads_in_flight_gets_them_back,
        LifetimeChecks.A_disposed_queue_refuses_every_use,
        LifetimeChecks.A_device_is_not_disposed_under_its_queues,
        LifetimeChecks.Another_thread_is_refused,
        LifetimeChecks.A_queue_may_be_opened_on_one_thread_and_used_on_another,
        LifetimeChecks.A_disowned_queue_may_be_disposed_by_another_thread,
        LifetimeChecks.Many_queues_work_side_by_side,
    }.ToDictionary(check => check.Method.Name);

    /// <summary>The names of all checks.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. _checks.Keys];

    /// <summary>Runs a check.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="subject">The device.</param>
    /// <exception cref="ConformanceException">The device breaks the promise. An exception that it throws itself comes as it is.</exception>
    /// <exception cref="ArgumentException">There is no such check, or a property of the subject is out of its range.</exception>
    public static void Run(string name, DeviceSubject subject)
    {
        ArgumentNullException.ThrowIfNull(subject);
        if (!_checks.TryGetValue(name, out Action<CheckedDevice>? check))
            throw new ArgumentException($"Expected the name of a check, found '{name}'.", nameof(name));
        if (subject.LengthUnit is < 1 or > QueueUnderCheck.Block)
        {
            throw new ArgumentException(
                $"Expected a {nameof(DeviceSubject.LengthUnit)} of 1 to {QueueUnderCheck.Block}, found {subject.LengthUnit}.",
                nameof(subject));
        }

        using var device = new CheckedDevice(subject);
        check(device);
    }
}
