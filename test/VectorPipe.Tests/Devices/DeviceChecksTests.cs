using NUnit.Framework;
using VectorPipe.Conformance;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Devices;

/// <summary>The checks of devices: what keeps the promises passes, and each flaw is found by the check of its promise.</summary>
internal sealed class DeviceChecksTests
{
    [TestCaseSource(typeof(DeviceChecks), nameof(DeviceChecks.Names))]
    public void A_device_on_the_public_base_keeps_the_promises(string check) => Run(check, Flaw.None);

    [TestCase(Flaw.WrongLength, "Length_is_that_of_the_file")]
    [TestCase(Flaw.WrongPlace, "Reads_at_random_offsets_bring_the_bytes_of_their_positions")]
    [TestCase(Flaw.OneFile, "Several_files_are_read_by_their_numbers")]
    [TestCase(Flaw.NeverShort, "A_read_across_the_end_of_the_file_is_short")]
    [TestCase(Flaw.NeverShort, "A_read_after_the_end_of_the_file_gives_nothing")]
    [TestCase(Flaw.WritesBeyond, "A_read_across_the_end_of_the_file_is_short")]
    [TestCase(Flaw.MisalignedReads, "A_misaligned_read_is_refused_or_served_where_any_alignment_works")]
    [TestCase(Flaw.BuffersAnywhere, "A_read_out_of_range_is_refused")]
    [TestCase(Flaw.LosesReads, "Every_read_is_handed_back_exactly_once")]
    [TestCase(Flaw.LosesReads, "Reap_without_waiting_gets_everything_in_the_end")]
    [TestCase(Flaw.AnyCapacity, "A_capacity_out_of_range_is_refused")]
    [TestCase(Flaw.LeaksBuffers, "Disposal_with_reads_in_flight_gets_them_back")]
    [TestCase(Flaw.LeaksBuffers, "A_disowned_queue_may_be_disposed_by_another_thread")]
    [TestCase(Flaw.UsedAfterDisposal, "A_disposed_queue_refuses_every_use")]
    [TestCase(Flaw.DisposedUnderQueues, "A_device_is_not_disposed_under_its_queues")]
    [TestCase(Flaw.OpensAfterDisposal, "A_device_is_not_disposed_under_its_queues")]
    [TestCase(Flaw.AnyThread, "Another_thread_is_refused")]
    public void A_flaw_is_found_by_the_check_of_its_promise(Flaw flaw, string check) =>
        Assert.That(() => Run(check, flaw), Throws.TypeOf<ConformanceException>());

    [Test]
    public void A_check_that_does_not_exist_and_a_unit_out_of_range_are_refused()
    {
        Assert.That(() => Run("Reads_are_fast", Flaw.None), Throws.ArgumentException.With.Message.Contains("'Reads_are_fast'"));
        using var folder = new TemporaryFolder();
        var subject = new DeviceSubject(folder.Path, paths => new HandMadeDevice(paths));
        foreach (int unit in (int[])[0, 4097])
        {
            Assert.That(
                () => DeviceChecks.Run(DeviceChecks.Names[0], subject with { LengthUnit = unit }),
                Throws.ArgumentException.With.Message.Contains($"1 to 4096, found {unit}"));
        }

        Assert.That(Directory.EnumerateFiles(folder.Path), Is.Empty);
    }

    private static void Run(string check, Flaw flaw)
    {
        using var folder = new TemporaryFolder();
        DeviceChecks.Run(
            check, new DeviceSubject(folder.Path, paths => new HandMadeDevice(paths, flaw)) { Patience = TimeSpan.FromMilliseconds(200) });
        Assert.That(Directory.EnumerateFiles(folder.Path), Is.Empty, "files that a check left");
    }
}
