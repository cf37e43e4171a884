namespace VectorPipe.Tool.Explaining;

/// <summary>Points between those that the calibration of an index measured.</summary>
internal static class CalibrationCurve
{
    // Equal steps of the missed share's logarithm take about equal effort: from 0.99 to 0.999 is as far as from 0.9 to 0.99.
    private const double LeastMissed = 1e-5;

    /// <summary>The point that the options of a search chose; null without a calibration, and for a list size.</summary>
    public static IndexCalibrationPoint? Chosen(ExplainedSearch search)
    {
        IReadOnlyList<IndexCalibrationPoint> points = search.Store.Index?.Calibration ?? [];
        if (points.Count == 0 || search.Options.Graph?.ListSize is not null)
            return null;
        double? effort = search.Options.Graph?.Threshold ?? search.Options.Ivf?.Probes;
        return effort is { } given
            ? AtEffort(points, given)
            : AtRecall(points, search.Options.TargetRecall ?? SearchOptions.DefaultTargetRecall);
    }

    /// <summary>The point at which a recall was found; the last one if none reached it.</summary>
    public static IndexCalibrationPoint AtRecall(IReadOnlyList<IndexCalibrationPoint> points, double recall)
    {
        for (int i = 0; i < points.Count; i++)
        {
            if (points[i].Recall >= recall)
                return i == 0 ? points[0] : Between(points[i - 1], points[i], ShareOf(
                    LogOfMissed(points[i - 1].Recall), LogOfMissed(points[i].Recall), LogOfMissed(recall)));
        }

        return points[^1];
    }

    /// <summary>The point of a threshold or a number of probes; the end of the curve if it lies beyond.</summary>
    public static IndexCalibrationPoint AtEffort(IReadOnlyList<IndexCalibrationPoint> points, double effort)
    {
        for (int i = 1; i < points.Count; i++)
        {
            double share = ShareOf(Math.Log(points[i - 1].Threshold), Math.Log(points[i].Threshold), Math.Log(effort));
            if (share < 0)
                return points[i - 1];
            if (share <= 1)
                return Between(points[i - 1], points[i], share);
        }

        return points[^1];
    }

    private static IndexCalibrationPoint Between(IndexCalibrationPoint from, IndexCalibrationPoint to, double share) => new(
        Math.Exp(Middle(Math.Log(from.Threshold), Math.Log(to.Threshold), share)),
        1 - Math.Exp(Middle(LogOfMissed(from.Recall), LogOfMissed(to.Recall), share)),
        Middle(from.Reads, to.Reads, share));

    private static double LogOfMissed(double recall) => Math.Log(Math.Max(1 - recall, LeastMissed));

    private static double ShareOf(double from, double to, double value) => from == to ? 0 : (value - from) / (to - from);

    private static double Middle(double from, double to, double share) => from + (share * (to - from));
}
