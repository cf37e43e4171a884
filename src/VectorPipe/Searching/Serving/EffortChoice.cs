using Microsoft.Extensions.Logging;
using VectorPipe.Diagnostics;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Serving;

/// <summary>Chooses how much the searches of an index compute to save reads, by what a read costs.</summary>
internal static class EffortChoice
{
    /// <summary>The effort for the cost that the options give, or that a measurement finds; logged.</summary>
    /// <remarks>Small indexes are not measured. An index whose device fails meanwhile gets the default.</remarks>
    public static SearchEffort Of(SearchIndex index, OpenOptions options, ILogger logger)
    {
        if (!index.CanAdapt)
            return SearchEffort.Default;
        if (options.ReadCostUs is { } given)
            return Choose(given, "given");
        if (index.Cache?.Statistics.IsResident == true)
            return Choose(0, "the index is resident");
        if (index.NodeFile.Length < options.ReadCostLeastBytes)
            return SearchEffort.Default;
        try
        {
            return Choose(ReadCostProbe.MeasureUs(index, options.QueriesInFlight), "measured");
        }
        catch (DeviceException e)
        {
            // The index opens in spite of it: a read that fails later is the error of its search.
            SearchLog.ReadCostUnknown(logger, e);
            return SearchEffort.Default;
        }

        SearchEffort Choose(double readCostUs, string source)
        {
            SearchEffort effort = SearchEffort.For(readCostUs, options.Threads, index.Schema.Count);
            SearchLog.ReadCost(logger, readCostUs, source, effort.FollowFactor, effort.WalkWidth);
            return effort;
        }
    }
}
